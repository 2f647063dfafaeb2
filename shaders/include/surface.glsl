// What a mesh's fragment shader starts from. Include it in a shader of your own:
//
//     #include "surface.glsl"
//     void main() { Surface s = surface(); s.base.rgb = s.normal * 0.5 + 0.5; color = lit(s); }
#include "frame3d.glsl"
#include "world.glsl"

in vec3 v_place;
in vec3 v_normal;
in vec2 v_uv;
in vec4 v_tangent;
in vec4 v_color;

uniform vec4 base_color;
uniform vec3 emissive;
uniform vec2 metallic_roughness;

out vec4 color;  // premultiplied alpha, sRGB

struct Surface {
    vec4 base;       // linear, straight alpha
    vec3 normal;     // towards the eye's side, length 1
    float metallic;
    float roughness;
    vec3 emissive;
    vec3 to_eye;     // length 1
    float distance;  // from the eye
};

Surface surface() {
    Surface s;
    s.base = base_color * v_color;
    s.normal = normalize(gl_FrontFacing ? v_normal : -v_normal);
    s.metallic = metallic_roughness.x;
    s.roughness = metallic_roughness.y;
    s.emissive = emissive;
    s.distance = length(v_place);
    s.to_eye = -v_place / max(s.distance, 1e-30);
    return s;
}

vec4 lit(Surface s) {
    vec3 ambient = mix(ground_color.rgb, sky_color.rgb, 0.5 + 0.5 * s.normal.y);
    vec3 light = s.base.rgb * (ambient + sun_color.rgb * max(dot(s.normal, sun_direction.xyz), 0.0)) + s.emissive;
    light = mix(fog_color.rgb, light, exp(-fog_color.a * s.distance));
    return vec4(shown(light) * s.base.a, s.base.a);
}
