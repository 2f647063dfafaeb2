// The bits of a shape's `in_info`; framework/plane/shape_batch.py packs them.
const uint KIND = 7u, BOX = 0u, ELLIPSE = 1u, ARC = 2u, PATH = 3u, LINE = 4u, CIRCLE = 5u;
const uint JOIN = 24u, MITER = 8u, BEVEL = 16u;  // otherwise round
const uint BUTT = 32u;       // ends are cut off instead of round
const uint LINEAR = 64u, RADIAL = 128u;
const uint EDGED = 256u;     // filled, with an outline in another color
const uint CLOSED = 512u;
const uint VISIBLE = 1024u;
const uint DASHED = 2048u;
const int FIRST_BIT = 12;    // first bit of the texel at which a path's points begin

// Return the position of a texel of the points in their texture, which is 256 wide.
ivec2 texel_place(int index) {
    return ivec2(index & 255, index >> 8);
}

// How many pairs of a path's points the vertex shader passes on. The fragment shader reads the other points of long
// paths from the texture.
#ifdef LONG_PATHS
#define HANDED_ON 1
#elif defined(PATHS)
#define HANDED_ON ((PATHS + 1) / 2)
#endif

// Whether the slopes of the edges can be passed on too, which is possible only if no path is a stroke.
#if defined(PATHS) && !defined(STROKES) && !defined(LONG_PATHS)
#define SLOPES
#endif
