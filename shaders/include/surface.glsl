// The beginning of a mesh's fragment shader. Include it in a shader of your own:
//
//     #include "surface.glsl"
//     void main() { Surface s = surface(); s.base.rgb = s.normal * 0.5 + 0.5; color = lit(s); }
// Lighting follows glTF 2.0, appendix B: a GGX lobe over a matte base, for the sun, the lights and the sky.
#include "frame3d.glsl"
#include "world.glsl"
#include "material.glsl"
#include "shadow.glsl"

in vec3 v_place;
in vec3 v_normal;
in vec2 v_uv;
in vec4 v_tangent;
in vec4 v_color;

#ifdef MIRRORED
flat in float v_side;
#endif
#ifdef SECOND_UV
in vec2 v_second_uv;
#else
#define v_second_uv v_uv
#endif

out vec4 color;  // premultiplied alpha, sRGB

struct Surface {
    vec4 base;        // linear, straight alpha
    vec3 normal;      // on the side of the eye, length 1
    float metallic;
    float roughness;
    float occlusion;  // share of ambient light that reaches the surface
    vec3 emissive;
    vec3 place;       // position relative to the eye, in the world's axes
    vec3 to_eye;      // direction to the eye, length 1
    float distance;   // distance from the eye
};

bool seen_from_front() {
#ifdef MIRRORED
    return (gl_FrontFacing ? v_side : -v_side) > 0.0;
#else
    return gl_FrontFacing;
#endif
}

vec3 surface_normal() {
    vec3 normal = normalize(v_normal);
#ifdef NORMAL_TEXTURE
    vec3 bump = (texel_of(normal_texture, 2, v_uv, v_second_uv).xyz * 2.0 - 1.0) * vec3(normal_scale, normal_scale, 1.0);
    vec3 tangent = v_tangent.xyz - normal * dot(normal, v_tangent.xyz);
    tangent /= max(length(tangent), 1e-20);
    normal = normalize(tangent * bump.x + cross(normal, tangent) * (v_tangent.w * bump.y) + normal * bump.z);
#endif
    return seen_from_front() ? normal : -normal;
}

Surface surface() {
#if defined(MIRRORED) && defined(ONE_SIDED)  // otherwise the GPU has already removed back faces
    if (!seen_from_front())
        discard;
#endif
    Surface s;
    s.base = base_color * v_color;
    s.metallic = metallic;
    s.roughness = roughness;
    s.occlusion = 1.0;
    s.emissive = emissive;
#ifdef BASE_TEXTURE
    s.base *= texel_of(base_texture, 0, v_uv, v_second_uv);
#endif
#ifdef METALLIC_ROUGHNESS_TEXTURE
    vec4 both = texel_of(metallic_roughness_texture, 1, v_uv, v_second_uv);
    s.metallic *= both.b;
    s.roughness *= both.g;
#endif
#ifdef OCCLUSION_TEXTURE
    s.occlusion += occlusion_strength * (texel_of(occlusion_texture, 3, v_uv, v_second_uv).r - 1.0);
#endif
#ifdef EMISSIVE_TEXTURE
    s.emissive *= texel_of(emissive_texture, 4, v_uv, v_second_uv).rgb;
#endif
    s.normal = surface_normal();
    s.place = v_place;
    s.distance = length(v_place);
    // An orthographic camera looks in the same direction everywhere.
    bool perspective = vec3(view_projection[0].w, view_projection[1].w, view_projection[2].w) != vec3(0.0);
    s.to_eye = perspective ? -v_place / max(s.distance, 1e-30) : vec3(view[0].z, view[1].z, view[2].z);
#ifdef ALPHA_MASK
    if (s.base.a < alpha_cutoff)
        discard;
#endif
#ifndef ALPHA_BLEND
    s.base.a = 1.0;
#endif
    return s;
}

const float PI = 3.14159265358979;

// Return the light from one direction (length 1) that a surface reflects to the eye, for colors as in world.glsl.
vec3 reflected(Surface s, vec3 direction) {
    float facing = dot(s.normal, direction);
    if (facing <= 0.0)
        return vec3(0.0);
    vec3 middle = normalize(direction + s.to_eye);
    float n_v = max(dot(s.normal, s.to_eye), 1e-4), n_h = clamp(dot(s.normal, middle), 0.0, 1.0);
    float v_h = clamp(dot(s.to_eye, middle), 0.0, 1.0);
    vec3 f0 = mix(vec3(0.04), s.base.rgb, s.metallic);
    vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - v_h, 5.0);
    float alpha = max(s.roughness * s.roughness, 0.002), a2 = alpha * alpha;
    float base = (n_h * a2 - n_h) * n_h + 1.0;
    float spread = a2 / (PI * base * base);
    float mask = 0.5 / (facing * sqrt(n_v * n_v * (1.0 - a2) + a2) + n_v * sqrt(facing * facing * (1.0 - a2) + a2));
    vec3 matt = (1.0 - fresnel) * s.base.rgb * (1.0 - s.metallic);
    return (matt + fresnel * (PI * spread * mask)) * facing;
}

vec3 from_lights(Surface s) {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < int(counts.x); ++i) {
        vec3 to = lights[i].place.xyz - s.place;
        float away = max(length(to), 0.01), part = away * lights[i].place.w;
        if (part >= 1.0)
            continue;
        vec3 direction = to / away;
        float window = 1.0 - part * part * part * part;
        float along = dot(direction, lights[i].direction.xyz);
        float cone = clamp(lights[i].color.w - along * lights[i].direction.w, 0.0, 1.0);
        float strength = window / (away * away) * cone * cone;
        if (strength > 0.0)
            sum += reflected(s, direction) * lights[i].color.rgb * strength;
    }
    return sum;
}

// Return the ambient light. How much of the sky a rough surface reflects is computed with Karis' fit ("Physically Based
// Shading on Mobile").
vec3 from_sky(Surface s) {
    vec3 f0 = mix(vec3(0.04), s.base.rgb, s.metallic);
    float n_v = clamp(dot(s.normal, s.to_eye), 0.0, 1.0);
    vec4 r = s.roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
    vec3 mirrored = f0 * (-1.04 * a + r.z) + (1.04 * a + r.w);
    vec3 around = mix(ground_color.rgb, sky_color.rgb, 0.5 + 0.5 * s.normal.y);
    vec3 matt = s.base.rgb * (1.0 - s.metallic) * (1.0 - mirrored) * around;
    return (matt + mirrored * sky_light(reflect(-s.to_eye, s.normal), s.roughness)) * s.occlusion;
}

// Return the screen color of a surface in the light and fog of the world.
vec4 lit(Surface s) {
    float seen = through_fog(s.distance);
#ifdef UNLIT
    vec3 result = mix(shown(fog_color.rgb), to_srgb(clamp(s.base.rgb, 0.0, 1.0)), seen);
#else
    vec3 sun = reflected(s, sun_direction.xyz);
    if (sun != vec3(0.0))
        sun *= sun_color.rgb * sunlit(s.place, normalize(seen_from_front() ? v_normal : -v_normal), s.distance);
    vec3 light = sun + from_lights(s) + from_sky(s) + s.emissive;
    vec3 result = shown(mix(fog_color.rgb, light, seen));
#endif
    return vec4(result * s.base.a, s.base.a);
}
