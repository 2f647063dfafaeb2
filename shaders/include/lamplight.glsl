// What lamps and their shadows have in common. framework/geometry/lamplight.py is the same on the CPU, and says where
// it is from; a test holds pictures against it.
const int BINS = 1024;
const int TAPS = 16;
const float WIDEST = 64.0;
const float GAIN = 1.05;
const float CONE_FADE = 0.2;
const float FLICKER_PERIOD = 4096.0;
const float PI = 3.14159265358979323846;
const float BIN = 2.0 * PI / float(BINS);
const float NEVER = 1e9;

uniform sampler2D lamps;  // a column a lamp: (x, y, radius, softness), (red, green, blue, cone), (angle,
                         // height, whether it throws shadows, radius of those)
