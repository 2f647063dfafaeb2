#include "frame.glsl"
#include "light2d_math.glsl"

flat in int v_lamp;
in vec2 v_away;

uniform sampler2D shadows;  // a row per lamp: distance of the nearest wall, and distance beyond which there is no light

#ifdef NORMALS
uniform sampler2D normals;  // x, y, z from 0 to 1; alpha is 0 without a normal
#endif

out vec4 color;

float cone_share(float turn, float cone) {
    float half_cone = 0.5 * cone;
    float share = clamp((half_cone - abs(turn)) / (CONE_FADE * max(half_cone, 1e-6)), 0.0, 1.0);
    return half_cone >= PI - 1e-4 ? 1.0 : share * share * (3.0 - 2.0 * share);
}

// PLAIN: no walls are within reach of the lamps in this draw call. HARD: these lamps have no softness. ROUND: they
// shine in all directions.
#if defined(SOFT) && !defined(HARD) && !defined(PLAIN)
#define WITH_DISCS
#include "lamp_disc.glsl"
#endif

// Returns how much of a hard lamp's light passes the walls.
float hard_share(float apart, float toward) {
    apart = max(apart, 1e-6);
    float middle = (toward / (2.0 * PI) + 0.5) * float(BINS);
    int first = int(floor(middle - 0.5));
    float hidden = 0.0;
    for (int tap = first; tap <= first + 1; tap++) {
#ifdef SOFT
        vec2 wall = texelFetch(shadows, ivec2((tap + BINS) % BINS, v_lamp * lamp_rows), 0).xy;
#else
        vec2 wall = texelFetch(shadows, ivec2((tap + BINS) % BINS, v_lamp), 0).xy;
#endif
        if (apart > wall.x) {
            float share = apart < wall.y ? clamp((apart - wall.x) / max(wall.y - wall.x, 1e-6), 0.0, 1.0) : 1.0;
            hidden += share * max(min(float(tap + 1), middle + 0.5) - max(float(tap), middle - 0.5), 0.0);
        }
    }
    return 1.0 - min(hidden, 1.0);
}

void main() {
    vec4 place_radius = texelFetch(lamps, ivec2(v_lamp, 0), 0);
    vec4 tint_cone = texelFetch(lamps, ivec2(v_lamp, 1), 0);
    vec3 traits = texelFetch(lamps, ivec2(v_lamp, 2), 0).xyz;
    float apart = length(v_away);
    float share = clamp(1.0 - apart * apart / (place_radius.z * place_radius.z), 0.0, 1.0);
    share *= share;
#ifndef ROUND
    float toward = apart > 0.0 ? atan(v_away.y, v_away.x) : 0.0;
    float turn = toward - traits.x;
    turn -= 2.0 * PI * roundEven(turn / (2.0 * PI));
    share *= cone_share(turn, tint_cone.w);
#endif
#ifndef PLAIN
    if (share > 0.0 && traits.z > 0.5) {
#ifdef WITH_DISCS
        if (place_radius.w > 0.0)
            share *= soft_share(v_away, apart, toward, place_radius.w);
        else
#endif
            share *= hard_share(apart, toward);
    }
#endif
#ifdef NORMALS
    vec4 texel = texelFetch(normals, ivec2(gl_FragCoord.xy), 0);
    if (texel.a > 0.5) {
        vec2 direction = mat2(view_projection) * -v_away * viewport;
        vec2 on_screen = direction * (apart / max(length(direction), 1e-12));  // the camera may be rotated
        share *= max(dot(normalize(texel.xyz * 2.0 - 1.0), normalize(vec3(on_screen, max(traits.y, 1e-6)))), 0.0);
    }
#endif
    color = vec4(tint_cone.rgb * share, 1.0);
}
