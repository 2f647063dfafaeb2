// Draws the panel of the F3 overlay: its text, with a graph and a strip above it. Each frame of the game has a bar in
// both. framework/watch/overlay.py defines these constants: FRAMES (of two units each), SCALE (pixels per unit), LEFT,
// GRAPH, GRAPH_HEIGHT, STRIP and STRIP_HEIGHT (units from the panel's bottom left corner), and the premultiplied colors
// of the bars. They are constants because software drivers are several times faster with constants than with uniforms.
in vec2 v_at;

uniform sampler2D words;

// One byte per bar: its height in quarters of a unit. The lowest byte is the bar at the front. First the graph, then
// the strip.
layout(std140) uniform Bars {
    uvec4 bars[FRAMES / 2];
};

out vec4 color;

void main() {
    ivec2 pixel = ivec2(v_at);
    ivec2 at = pixel / SCALE;
    bool strip = at.y < GRAPH;
    int x = at.x - LEFT;
    int y = at.y - (strip ? STRIP : GRAPH);
    int bar = clamp(x >> 1, 0, FRAMES - 1) + (strip ? FRAMES : 0);
    uint heights = bars[bar >> 2][bar & 3];
    bool inside = uint(x) < uint(2 * FRAMES) && uint(y) < uint(strip ? STRIP_HEIGHT : GRAPH_HEIGHT);
    uint quarter = inside ? uint(y) * 4u + 2u : 255u;
    vec4 top = quarter < (heights & 255u) ? (strip ? TICKS : UPDATE)
        : quarter < ((heights >> 8) & 255u) ? (strip ? ALPHA : DRAW)
        : quarter < ((heights >> 16) & 255u) ? OTHER
        : quarter < (heights >> 24) ? WAIT : vec4(0.0);
    color = top + texelFetch(words, pixel, 0) * (1.0 - top.a);
}
