// Computes the position, size, angle and color of a particle from its row and its age.
// framework/particles/particle_motion.py performs the same operations in the same order on the CPU, and a test compares
// the two.
const int CELLS = 64;

layout(std140) uniform Particles {
    vec4 gravity_damping;        // units per second squared; w: damping in 1/s
    vec4 noise_tumble;        // distance in units, oscillations per second; turns per second
    vec4 colors[CELLS + 1];   // at even shares of the lifetime, straight alpha
    vec4 sizes[CELLS + 1];    // x: length of the longer side
};

uniform uint clock;     // start of the last tick: a second is 2^20, modulo 2^32
uniform float tick;     // length of the tick in seconds
uniform int first_alive;  // rows before this index are dead or replaced
uniform int image_count;  // number of images to choose from

const float TURN = 6.28318530717958647692;

// Return the seconds since the particle was born. Below 0, it is not born yet.
float age_of(uint born, float alpha) {
    return float(int(clock - born)) * (1.0 / 1048576.0) + alpha * tick;
}

bool alive(float age, float lifetime) {
    return gl_InstanceID >= first_alive && age >= 0.0 && age < lifetime;
}

// Return (1 - e^-x) / x and (x - 1 + e^-x) / x². For small x, use their series.
vec2 damping_factors(float x) {
    if (x < 0.5) {
        float b = 0.5 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0 * (1.0 - x / 6.0 * (1.0 - x / 7.0)))));
        return vec2(1.0 - x * b, b);
    }
    float lost = 1.0 - exp(-x);  // share of the velocity
    return vec2(lost / x, (x - lost) / (x * x));
}

vec3 swing(uint seed, float age, float faster, int bits) {
    vec3 phase = vec3((uvec3(seed) >> uvec3(bits, bits + 5, bits + 10)) & 255u) * (1.0 / 256.0);
    return sin(TURN * fract(vec3(age * (noise_tumble.y * faster)) + phase)) - sin(TURN * phase);
}

// Return the displacement since birth.
vec3 moved(vec3 velocity, uint seed, float age) {
    vec2 shares = damping_factors(gravity_damping.w * age);
    vec3 path = velocity * (age * shares.x) + gravity_damping.xyz * (age * age * shares.y);
    if (noise_tumble.x != 0.0)
        path += noise_tumble.x * (0.6667 * swing(seed, age, 1.0, 0) + 0.3333 * swing(seed, age, 2.17, 13));
    return path;
}

vec3 velocity_at(vec3 velocity, float age) {
    float x = gravity_damping.w * age;
    return velocity * exp(-x) + gravity_damping.xyz * (age * damping_factors(x).x);
}

// For a fraction of the lifetime, return the index of the sample before it, and how far it is to the next sample.
vec2 sample_at(float share) {
    float position = clamp(share, 0.0, 1.0) * float(CELLS);
    float cell = min(floor(position), float(CELLS - 1));
    return vec2(cell, position - cell);
}

vec4 color_at(float share) {
    vec2 at = sample_at(share);
    return colors[int(at.x)] + (colors[int(at.x) + 1] - colors[int(at.x)]) * at.y;
}

float size_at(float share) {
    vec2 at = sample_at(share);
    return sizes[int(at.x)].x + (sizes[int(at.x) + 1].x - sizes[int(at.x)].x) * at.y;
}

// Return the visible width of a particle that tumbles around its own upright axis.
float tumbled(uint seed, float age) {
    if (noise_tumble.z == 0.0)
        return 1.0;
    return cos(TURN * fract(noise_tumble.z * age * (0.7 + float(seed >> 24) / 425.0) + float(seed & 255u) / 256.0));
}
