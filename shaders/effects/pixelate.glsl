uniform float cell;

vec4 effect(vec2 place) {
    vec2 wide = max(vec2(cell), 1e-3) / units;
    return picture(min((floor(place / wide) + 0.5) * wide, 1.0));
}
