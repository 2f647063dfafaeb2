// The code that all lamp shaders share. framework/light2d/light2d_math.py computes the same on the CPU and lists the
// sources. A test compares images of both.
const int BINS = 1024;
const float CONE_FADE = 0.2;
const float FLICKER_PERIOD = 4096.0;
const float PI = 3.14159265358979323846;
const float BIN = 2.0 * PI / float(BINS);
const float NEVER = 1e9;

uniform sampler2D lamps;  // a column per lamp: (x, y, radius, softness), (red, green, blue, cone), (angle,
                         // height, whether it casts shadows, radius of its shadows)

#ifdef SOFT
// Lists of walls for soft lamps: see lightmap.py.
const int GROUP_BITS = 24;    // groups of walls per texel: the bits of an integer that a float stores exactly
uniform int directions;       // directions per lamp; each has a list
uniform int lamp_rows;        // rows per lamp in the shadow texture
uniform int wall_row;         // the first row with walls, two texels per wall: its ends; its depth
uniform int standing;         // the number of static walls; boxes follow after them
uniform int standing_groups;
uniform int group_size;       // static walls per group; each box is a group, too
uniform int first_box_wall;
#endif
