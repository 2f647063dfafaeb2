// The bits of a shape's `in_info`; framework/plane/figures.py packs them.
const uint KIND = 7u, BOX = 0u, ELLIPSE = 1u, ARC = 2u, PATH = 3u, LINE = 4u, CIRCLE = 5u;
const uint JOIN = 24u, MITER = 8u, BEVEL = 16u;  // else round
const uint BUTT = 32u;       // ends that are cut off, not round
const uint LINEAR = 64u, RADIAL = 128u;
const uint EDGED = 256u;     // filled, with an outline of another colour
const uint CLOSED = 512u;
const uint VISIBLE = 1024u;
const uint DASHED = 2048u;
const int FIRST_BIT = 12;    // of the texel at which a path's points begin

// Where a texel of the points is in their texture, which is 256 wide.
ivec2 texel_place(int index) {
    return ivec2(index & 255, index >> 8);
}

// How many pairs of a path's points the vertex shader hands on; the others of long ones are fetched.
#ifdef LONG_PATHS
#define HANDED_ON 1
#elif defined(PATHS)
#define HANDED_ON ((PATHS + 1) / 2)
#endif

// Whether there is room to hand on how steep the edges between them are, too: where none of them is a stroke.
#if defined(PATHS) && !defined(STROKES) && !defined(LONG_PATHS)
#define SLOPES
#endif
