#include "frame3d.glsl"
#include "world.glsl"

in vec2 v_uv;
in vec4 v_color;
in float v_distance;

uniform sampler2D image;  // premultiplied, sRGB
uniform float additive;

#ifdef SOFT
uniform sampler2D scene_depth;  // depth of the opaque solids
uniform float softness;         // distance over which a billboard fades out, in units

// Return the distance from the camera plane, in units, for a value of the depth buffer.
float distance_of(float depth) {
    float near = eye_cell.w, far = eye_rest.w;
    bool perspective = vec3(view_projection[0].w, view_projection[1].w, view_projection[2].w) != vec3(0.0);
    return perspective ? near * far / (far - depth * (far - near)) : near + depth * (far - near);
}

// Return the opacity of a soft billboard, which fades out where it is close to the surface behind it.
float standing_free() {
    float behind = distance_of(texelFetch(scene_depth, ivec2(gl_FragCoord.xy), 0).r);
    return smoothstep(0.0, softness, behind - distance_of(gl_FragCoord.z));
}
#endif

out vec4 color;

void main() {
    vec4 texel = texture(image, v_uv);
    vec3 base = from_srgb(clamp(texel.rgb / max(texel.a, 1e-4), 0.0, 1.0)) * v_color.rgb;
    float alpha = texel.a * v_color.a, seen = through_fog(v_distance);
#ifdef LIT  // lit equally from all directions, like smoke and dust
    base = shown(base * (0.5 * sun_color.rgb + 0.5 * (sky_color.rgb + ground_color.rgb)));
#else
    base = to_srgb(clamp(base, 0.0, 1.0));
#endif
    base = additive > 0.0 ? base * seen : mix(shown(fog_color.rgb), base, seen);
#ifdef SOFT
    alpha *= standing_free();
#endif
    color = vec4(base * alpha, alpha * (1.0 - additive));
}
