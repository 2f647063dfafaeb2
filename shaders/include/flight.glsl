// How particles fly: by formulas of their row and their age. The CPU side of the same formulas, in the same order of
// operations, is framework/state/flights.py; a test holds the two equal.
const int CELLS = 64;

layout(std140) uniform Particles {
    vec4 gravity_drag;        // units a second squared; of the velocity, the share that is lost in a second
    vec4 noise_tumble;        // units, swings a second; turns a second
    vec4 colors[CELLS + 1];   // at even shares of the life, straight alpha
    vec4 sizes[CELLS + 1];    // x: of the longer side
};

uniform uint clock;     // when the last tick began: a second is 2^20, and 2^32 is 0 again
uniform float tick;     // seconds that it lasts
uniform int gone;       // rows at the beginning whose place others have taken, or that were taken out
uniform int pictures;   // to choose from

const float TURN = 6.28318530717958647692;

// Seconds since the birth; below 0 where it is still to come.
float age_of(uint born, float alpha) {
    return float(int(clock - born)) * (1.0 / 1048576.0) + alpha * tick;
}

bool alive(float age, float life) {
    return gl_InstanceID >= gone && age >= 0.0 && age < life;
}

// (1 - e^-x) / x and (x - 1 + e^-x) / x²; where x is small, by their series.
vec2 drags(float x) {
    if (x < 0.5) {
        float b = 0.5 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0 * (1.0 - x / 6.0 * (1.0 - x / 7.0)))));
        return vec2(1.0 - x * b, b);
    }
    float gone = 1.0 - exp(-x);
    return vec2(gone / x, (x - gone) / (x * x));
}

vec3 swing(uint seed, float age, float faster, int bits) {
    vec3 phase = vec3((uvec3(seed) >> uvec3(bits, bits + 5, bits + 10)) & 255u) * (1.0 / 256.0);
    return sin(TURN * fract(vec3(age * (noise_tumble.y * faster)) + phase)) - sin(TURN * phase);
}

// From where it was born to where it is.
vec3 moved(vec3 velocity, uint seed, float age) {
    vec2 shares = drags(gravity_drag.w * age);
    vec3 path = velocity * (age * shares.x) + gravity_drag.xyz * (age * age * shares.y);
    if (noise_tumble.x != 0.0)
        path += noise_tumble.x * (0.6667 * swing(seed, age, 1.0, 0) + 0.3333 * swing(seed, age, 2.17, 13));
    return path;
}

vec3 velocity_at(vec3 velocity, float age) {
    float x = gravity_drag.w * age;
    return velocity * exp(-x) + gravity_drag.xyz * (age * drags(x).x);
}

// Where between two samples a share of the life is: the first of them, and how far beyond.
vec2 sample_at(float share) {
    float place = clamp(share, 0.0, 1.0) * float(CELLS);
    float cell = min(floor(place), float(CELLS - 1));
    return vec2(cell, place - cell);
}

vec4 color_at(float share) {
    vec2 at = sample_at(share);
    return colors[int(at.x)] + (colors[int(at.x) + 1] - colors[int(at.x)]) * at.y;
}

float size_at(float share) {
    vec2 at = sample_at(share);
    return sizes[int(at.x)].x + (sizes[int(at.x) + 1].x - sizes[int(at.x)].x) * at.y;
}

// How wide it is seen, as it turns about its own upright axis.
float tumbled(uint seed, float age) {
    if (noise_tumble.z == 0.0)
        return 1.0;
    return cos(TURN * fract(noise_tumble.z * age * (0.7 + float(seed >> 24) / 425.0) + float(seed & 255u) / 256.0));
}
