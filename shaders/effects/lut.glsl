uniform float strength;
uniform sampler3D lut_table;

vec4 effect(vec2 place) {
    vec3 seen = picture(place).rgb;
    float n = float(textureSize(lut_table, 0).x);
    vec3 looked_up = texture(lut_table, clamp(seen, 0.0, 1.0) * ((n - 1.0) / n) + 0.5 / n).rgb;
    return vec4(mix(seen, looked_up, strength), 1.0);
}
