#include "light2d_math.glsl"

flat in vec4 v_wall;
flat in float v_depth;

out vec4 reach;  // distance of the wall, and distance beyond which there is no light; the nearest wall counts

#ifdef SOFT
flat in float v_bit;
flat in vec4 v_other;
#endif

void main() {
#ifdef SOFT
    // Blending keeps the minimum of red, green and blue, and the sum of alpha.
    if (v_bit != 0.0) {
        int texel = int(gl_FragCoord.x) & 7;
        vec4 sides[4] = vec4[4](v_wall, vec4(v_wall.zw, v_other.xy), v_other, vec4(v_other.zw, v_wall.xy));
        if (v_bit > 0.0)
            reach = vec4(NEVER, NEVER, NEVER, v_bit);
        else
            reach = (texel & 1) == 1 ? vec4(v_depth, NEVER, NEVER, 0.0) : v_bit == -1.0 ? v_wall : sides[texel >> 1];
        return;
    }
#endif
    float angle = gl_FragCoord.x * BIN - PI;
    vec2 direction = vec2(cos(angle), sin(angle)), side = v_wall.zw - v_wall.xy;
    float across = direction.x * side.y - direction.y * side.x;
    float along = v_wall.x * side.y - v_wall.y * side.x;
    float most = max(length(v_wall.xy), length(v_wall.zw));
    float far = abs(across) > 1e-9 ? clamp(along / across, 0.0, most) : min(length(v_wall.xy), length(v_wall.zw));
    reach = vec4(far, far + v_depth, 0.0, 0.0);
}
