uniform sampler2D trails_kept;

vec4 effect(vec2 place) {
    return texture(trails_kept, place);
}
