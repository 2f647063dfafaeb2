uniform sampler2D afterimage_history;

vec4 effect(vec2 place) {
    return texture(afterimage_history, place);
}
