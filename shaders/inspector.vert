// Places a triangle of the inspector's widgets. Positions are in framebuffer pixels, with y down.
uniform vec2 size;

in vec2 place;
in vec2 texel;
in vec4 tint;

out vec2 at;
out vec4 shade;

void main() {
    at = texel;
    shade = tint;
    gl_Position = vec4(place / size * vec2(2, -2) + vec2(-1, 1), 0, 1);
}
