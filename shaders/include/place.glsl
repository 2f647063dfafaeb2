#include "window.glsl"

// Where this pixel's middle is. Each shader finds that by the same few operations, of nothing that is interpolated, and
// rounds it to 1/4096: from there on sums and differences are exact. So a pixel belongs to one of two tiles that touch,
// never to both or to none, however the camera is turned.
vec2 place() {
    vec2 away = gl_FragCoord.xy - window.xy;
    return floor((turned[0] * away.x + turned[1] * away.y) * 4096.0 + 0.5) * (1.0 / 4096.0);
}
