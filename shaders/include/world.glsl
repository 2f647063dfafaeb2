// The uniforms that all surfaces in a world share, packed by framework/space/world_drawing.py. Colors are linear. The
// color of a light is the color of a white matte surface that faces the light (for point and spot lights: at a distance
// of one unit).
const int MAX_LIGHTS = 64;
const int MAX_CASCADES = 4;

struct Light {
    vec4 place;      // position relative to the eye; 1 / range
    vec4 color;      // color times intensity; offset of the cone
    vec4 direction;  // direction of length 1; scale of the cone, 0 for a point light
};

layout(std140) uniform World {
    vec4 sun_direction;  // direction to the sun, length 1
    vec4 sun_color;
    vec4 sky_color;      // ambient light from above; exposure
    vec4 ground_color;   // ambient light from below
    vec4 fog_color;      // color of the fog; density per unit
    vec4 counts;         // number of lights; of cascades; maximum distance of shadows from the eye; maximum color value
    vec4 texels;         // size of a texel in units, for each cascade
    mat4 cascades[MAX_CASCADES];  // matrices from positions relative to the eye to the sun's clip space
    Light lights[MAX_LIGHTS];
};

vec3 to_srgb(vec3 c) {
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, lessThanEqual(c, vec3(0.0031308)));
}

vec3 from_srgb(vec3 c) {
    return mix(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, lessThanEqual(c, vec3(0.04045)));
}

// Convert light to a screen color: Narkowicz's fit of the ACES tone curve, then sRGB. The factor keeps middle gray.
vec3 shown(vec3 light) {
    vec3 x = max(light * sky_color.a * 0.8, 0.0);
    return to_srgb(clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0 + counts.w));
}

// Return the light of the sky in a direction: pale at the horizon, deep towards the zenith, and below the horizon the
// ground's light, with haze in the distance. A rougher reflection shows a larger part of the sky.
vec3 sky_light(vec3 direction, float roughness) {
    vec3 pale = mix(sky_color.rgb, vec3(dot(sky_color.rgb, vec3(0.2126, 0.7152, 0.0722))), 0.3) * 2.3;
    vec3 deep = sky_color.rgb * vec3(0.45, 0.8, 1.35);
    vec3 above = mix(pale, deep, 1.0 - exp2(-5.0 * max(direction.y, 0.0)));
    vec3 below = mix(pale * 0.5, ground_color.rgb, 1.0 - exp2(10.0 * min(direction.y, 0.0)));
    float width = mix(0.01, 1.0, roughness);
    return mix(mix(below, ground_color.rgb, roughness), mix(above, sky_color.rgb, roughness),
        smoothstep(-width, width, direction.y));
}

// Return how much of the light from this distance passes through the fog.
float through_fog(float distance) {
    return exp(-fog_color.a * distance);
}
