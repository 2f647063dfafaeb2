// What lamps and their shadows have in common. framework/geometry/lamplight.py is the same on the CPU, and says where
// it is from; a test holds pictures against it.
const int BINS = 1024;
const float CONE_FADE = 0.2;
const float FLICKER_PERIOD = 4096.0;
const float PI = 3.14159265358979323846;
const float BIN = 2.0 * PI / float(BINS);
const float NEVER = 1e9;

uniform sampler2D lamps;  // a column a lamp: (x, y, radius, softness), (red, green, blue, cone), (angle,
                         // height, whether it throws shadows, radius of those)

#ifdef SOFT
// Lists of walls, for lamps with softness: see lightmap.py.
const int GROUP_BITS = 24;    // groups of walls in a texel: whole numbers that a float holds
uniform int directions;       // for which a lamp has a list
uniform int lamp_rows;        // of the texture of shadows, for each lamp
uniform int wall_row;         // where all walls are in it, two texels each: its ends; its depth
uniform int standing;         // walls that are no boxes; they come first
uniform int standing_groups;
uniform int group_size;       // of these walls in a group; each box is one too
uniform int first_box_wall;
#endif
