// The words of the panel, and over them a graph and a strip: the bars of one frame beside those of the next.
// SCALE (pixels a unit), FRAMES (of two units each), LEFT, GRAPH, GRAPH_HEIGHT, STRIP, STRIP_HEIGHT and GUIDE are defined
// by framework/overlay.py, in units from the panel's bottom left corner. Divisors are constants and indices into colors
// too: software drivers are several times quicker so.
uniform vec4 panel;
uniform sampler2D words;
uniform vec4 colors[6];  // premultiplied: of the graph's four bars, the front one first; then of the strip's
uniform vec4 guide;

// A byte a bar: its height in quarters of a unit, front one lowest. First the graph's of all frames, then the strip's.
layout(std140) uniform Bars {
    uvec4 bars[FRAMES / 2];
};

out vec4 color;

vec4 over(vec4 top, vec4 below) {
    return top + below * (1.0 - top.a);
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy - panel.xy);
    ivec2 at = pixel / SCALE;
    color = texelFetch(words, pixel, 0);
    bool strip = at.y < GRAPH;
    int x = at.x - LEFT;
    int y = at.y - (strip ? STRIP : GRAPH);
    int bar = clamp(x >> 1, 0, FRAMES - 1) + (strip ? FRAMES : 0);
    uint heights = bars[bar >> 2][bar & 3];
    int quarter = y * 4 + 2;
    vec4 top = quarter < int(heights & 255u) ? (strip ? colors[4] : colors[0])
        : quarter < int((heights >> 8) & 255u) ? (strip ? colors[5] : colors[1])
        : quarter < int((heights >> 16) & 255u) ? colors[2]
        : quarter < int(heights >> 24) ? colors[3] : vec4(0.0);
    if (at.y == GUIDE)
        top = over(guide, top);
    if (x >= 0 && x < 2 * FRAMES && y >= 0 && y < (strip ? STRIP_HEIGHT : GRAPH_HEIGHT))
        color = over(top, color);
}
