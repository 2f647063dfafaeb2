#include "lamplight.glsl"

flat in vec4 v_wall;
flat in float v_depth;

out vec4 reach;  // how far the wall is, and from where on light is not through it; the nearest of all walls counts

void main() {
    float angle = gl_FragCoord.x * BIN - PI;
    vec2 direction = vec2(cos(angle), sin(angle)), side = v_wall.zw - v_wall.xy;
    float across = direction.x * side.y - direction.y * side.x;
    float along = v_wall.x * side.y - v_wall.y * side.x;
    float most = max(length(v_wall.xy), length(v_wall.zw));
    float far = abs(across) > 1e-9 ? clamp(along / across, 0.0, most) : min(length(v_wall.xy), length(v_wall.zw));
    reach = vec4(far, far + v_depth, 0.0, 1.0);
}
