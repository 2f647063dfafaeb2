uniform float strength;
uniform float wavelength;
uniform float speed;

// Two waves that rise at different speeds, like hot air.
vec4 effect(vec2 place) {
    float row = place.y * units.y / wavelength * 6.2832;
    float wave = sin(row - time * speed) + 0.5 * sin(row * 2.3 - time * speed * 1.7 + place.x * 9.0);
    return picture(place + vec2(wave * strength / units.x, 0.0));
}
