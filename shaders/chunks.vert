// Each instance is one chunk of 32 x 32 cells of a tile map. Chunks that are not full are drawn by tiles.vert.
#include "tiles.glsl"

uniform ivec4 area;         // the first chunk (column, row), and the numbers of columns and rows
uniform usampler2D chunks;  // 65535 for a chunk that is full of tiles

flat out ivec2 v_chunk;

void main() {
    v_chunk = area.xy + ivec2(gl_InstanceID % area.z, gl_InstanceID / area.z);
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside the screen
    if (texelFetch(chunks, v_chunk, 0).r != 65535u)
        return;
    // Add one pixel on each side: the fragment shader discards pixels outside the chunk.
    float more = 1.5 * max(window.z, window.w);
    vec2 right = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 top_left = corner_of(v_chunk * 32) + vec2(0.0, size.y);
    vec2 place = top_left + mix(vec2(-more, -32.0 * size.y - more), vec2(32.0 * size.x + more, more), right);
    gl_Position = vec4(mat2(view_projection) * (place * scale), 0.0, 1.0);
}
