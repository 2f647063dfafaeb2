uniform float offset;

vec4 effect(vec2 place) {
    vec2 shift = (place - 0.5) * 2.0 * offset / units;
    return vec4(picture(place + shift).r, picture(place).g, picture(place - shift).b, 1.0);
}
