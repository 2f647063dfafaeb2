// Each instance is one of the cells that may be visible. The instance number determines which cell.
#include "tiles.glsl"
#include "regions.glsl"

uniform ivec4 area;   // the first cell (column, row), and the numbers of columns and rows
uniform ivec2 order;  // -1 for columns or rows that are drawn from the last to the first
#ifdef FITTING
uniform usampler2D chunks;  // of 32 x 32 cells each: the length of the chunk's list, or 65535
uniform usampler2D lists;   // 256 entries per chunk, 16 chunks per row: cells within the chunk, row by row
uniform int most;           // length of the longest list
#endif

#ifdef SHIFTED
uniform isampler2D shifts;  // of each cell: its shift in units, x and y, and the alpha of its tile, 0 to 255
flat out float v_alpha;
#endif

flat out uint v_cell;
flat out ivec2 v_at;
flat out vec2 v_corner;     // of the tile's box
flat out vec2 v_box;        // size of the box
flat out vec2 v_picture;    // size of the image before it is turned
flat out vec4 v_rectangle;  // in the atlas

#ifdef FITTING
ivec2 cell_of(int number, ivec2 count) {
    ivec2 chunk = area.xy + ivec2(number / most % area.z, number / most / area.z);
    int place = number % most, wide = (count.x + 31) / 32;
    uint listed = texelFetch(chunks, chunk, 0).r;
    if (listed == 65535u || place >= int(listed))
        return ivec2(-1);
    int list = chunk.y * wide + chunk.x;
    int within = int(texelFetch(lists, ivec2(list % 16 * 256 + place, list / 16), 0).r);
    return chunk * 32 + ivec2(within % 32, within / 32);
}
#elif defined(ISOMETRIC)
// Rows on the screen, from the top. In each of them, the sum of column and row is the same for all cells.
ivec2 cell_of(int number, ivec2 count) {
    int sum = area.y + number / area.z;
    int difference = area.x + 2 * (number % area.z) + ((sum ^ area.x) & 1);
    return ivec2(sum + difference, sum - difference) >> 1;
}
#elif defined(BY_COLUMNS)
// In each row, the cells with the higher columns are drawn first.
ivec2 cell_of(int number, ivec2 count) {
    int place = number % area.z, half_of = area.z / 2, first = place < half_of ? 1 - odd : odd;
    return area.xy + ivec2(2 * (place % half_of) + first, number / area.z);
}
#else
ivec2 cell_of(int number, ivec2 count) {
    ivec2 place = ivec2(number % area.z, number / area.z);
    place.x = order.x < 0 ? area.z - 1 - place.x : place.x;
    place.y = order.y < 0 ? area.w - 1 - place.y : place.y;
    return area.xy + place;
}
#endif

// Return the reduction of an image at which texels are about as large as pixels.
int level_now(int halvings) {
    float texels_per_pixel = 1.0 / max(max(pixels_per_unit.x, pixels_per_unit.y) * scale, 1e-6);
    return clamp(int(log2(texels_per_pixel) + 0.5), 0, halvings);
}

void main() {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside the screen
    ivec2 count = textureSize(cells, 0), at = cell_of(gl_InstanceID, count);
    if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, count)))
        return;
    uint cell = texelFetch(cells, at, 0).r;
    if (cell == 0u)
        return;
    int tile = tile_now(cell);
    vec4 lies = fact(tile, 0), known = fact(tile, 1), more = fact(tile, 2);
    v_cell = cell;
    v_at = at;
    v_picture = known.zw;
    v_rectangle = vec4(lies.xy, more.xy);
    int level = level_now(int(lies.w));
    if (level > 0)
        v_rectangle = reduced_rectangle(v_rectangle, level);
    v_corner = corner_of(at) + known.xy;
#ifdef SHIFTED
    ivec4 shifted = texelFetch(shifts, at, 0);
    v_corner += vec2(shifted.xy);
    v_alpha = float(shifted.z) / 255.0;
#endif
    v_box = v_picture;
    vec2 low = vec2(0.0);
#ifdef HEXAGONAL
    if ((cell & (SWAP | TURN)) != 0u)  // in any rotation it is inside a circle
        low = (v_picture - length(v_picture)) * 0.5;
#else
    if ((cell & SWAP) != 0u) {
        v_box = v_picture.yx;
        v_corner += more.wz - more.zw;  // the margin of the tile is swapped too
    }
#endif
    // Add one pixel on each side: the fragment shader discards pixels outside the tile.
    low -= 1.5 * max(window.z, window.w);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(mat2(view_projection) * ((v_corner + mix(low, v_box - low, corner)) * scale), 0.0, 1.0);
}
