uniform float strength;
uniform float radius;
uniform float softness;
uniform vec3 tint;

vec4 effect(vec2 place) {
    vec2 out_ = (place - 0.5) * 2.0;
    float far = sqrt(dot(out_, out_) * 0.5);  // 0 at the center of the screen, 1 in the corners
    float share = strength * smoothstep(radius, radius + max(softness, 1e-4), far);
    return vec4(mix(picture(place).rgb, tint, share), 1.0);
}
