uniform sampler2D blurred;

vec4 effect(vec2 place) {
    return texture(blurred, place);
}
