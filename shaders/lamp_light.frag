#include "frame.glsl"
#include "lamplight.glsl"

flat in int v_lamp;
in vec2 v_away;

uniform sampler2D shadows;  // a row a lamp: how far the nearest wall is, and from where on light is through none

#ifdef NORMALS
uniform sampler2D normals;  // x, y, z from 0 to 1; alpha is 0 where there is none
#endif

out vec4 color;

float cone_share(float turn, float cone) {
    float half_cone = 0.5 * cone;
    float share = clamp((half_cone - abs(turn)) / (CONE_FADE * max(half_cone, 1e-6)), 0.0, 1.0);
    return half_cone >= PI - 1e-4 ? 1.0 : share * share * (3.0 - 2.0 * share);
}

// The share of the lamp's disc that walls leave open.
float open_share(float apart, float toward, float softness) {
    apart = max(apart, 1e-6);
    float middle = (toward / (2.0 * PI) + 0.5) * float(BINS);
    float reach = clamp(3.0 * softness / apart / BIN, 0.5, WIDEST);
    int stride = reach <= float(TAPS) ? 1 : reach <= 2.0 * float(TAPS) ? 2 : 4;
    int last = int(floor((middle + reach) / float(stride)));
    float hidden = 0.0;
    for (int tap = int(floor((middle - reach) / float(stride))); tap <= last; tap++) {
        int low = tap * stride;
        vec2 wall = texelFetch(shadows, ivec2((low + stride / 2 + BINS) % BINS, v_lamp), 0).xy;
        if (apart > wall.x) {
            float near = max(wall.x, 1e-6);
            float share = apart < wall.y ? clamp((apart - wall.x) / max(wall.y - wall.x, 1e-6), 0.0, 1.0) : 1.0;
            float span = clamp(softness * (apart - near) / (apart * near) / BIN, 0.5, reach);
            float right = min(float(low + stride), middle + span);
            hidden += share * max(right - max(float(low), middle - span), 0.0) / (2.0 * span);
        }
    }
    return 1.0 - min(softness > 0.0 ? GAIN * hidden : hidden, 1.0);
}

void main() {
    vec4 place_radius = texelFetch(lamps, ivec2(v_lamp, 0), 0);
    vec4 tint_cone = texelFetch(lamps, ivec2(v_lamp, 1), 0);
    vec3 traits = texelFetch(lamps, ivec2(v_lamp, 2), 0).xyz;
    float apart = length(v_away);
    float share = clamp(1.0 - apart * apart / (place_radius.z * place_radius.z), 0.0, 1.0);
    share *= share;
    float toward = apart > 0.0 ? atan(v_away.y, v_away.x) : 0.0;
    float turn = toward - traits.x;
    turn -= 2.0 * PI * roundEven(turn / (2.0 * PI));
    share *= cone_share(turn, tint_cone.w);
    if (share > 0.0 && traits.z > 0.5)
        share *= open_share(apart, toward, place_radius.w);
#ifdef NORMALS
    vec4 texel = texelFetch(normals, ivec2(gl_FragCoord.xy), 0);
    if (texel.a > 0.5) {
        vec2 way = mat2(view_projection) * -v_away * viewport;
        vec2 seen = way * (apart / max(length(way), 1e-12));  // the camera may be turned
        share *= max(dot(normalize(texel.xyz * 2.0 - 1.0), normalize(vec3(seen, max(traits.y, 1e-6)))), 0.0);
    }
#endif
    color = vec4(tint_cone.rgb * share, 1.0);
}
