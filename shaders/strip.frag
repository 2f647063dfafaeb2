// Draws a panel that shows a texture, pixel by pixel.
in vec2 v_at;

uniform sampler2D pixels;

out vec4 color;

void main() {
    color = texelFetch(pixels, ivec2(v_at), 0);
}
