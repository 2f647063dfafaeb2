// What all surfaces of a world have in common; framework/world.py packs it. Colours are linear.
layout(std140) uniform World {
    vec4 sun_direction;  // to the sun, length 1
    vec4 sun_color;      // times its intensity
    vec4 sky_color;      // ambient light from above
    vec4 ground_color;   // and from below
    vec4 fog_color;      // its fourth number: how much of it there is in a unit
    vec4 exposure;       // one number
};

// Light to what a screen shows: Narkowicz's fit of the ACES tone curve, then sRGB.
vec3 shown(vec3 light) {
    vec3 x = max(light * exposure.x, 0.0);
    x = clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    return mix(1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, 12.92 * x, lessThanEqual(x, vec3(0.0031308)));
}

vec3 from_srgb(vec3 c) {
    return mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, lessThanEqual(c, vec3(0.04045)));
}
