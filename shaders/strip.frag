// A panel whose pixels are those of a texture.
in vec2 v_at;

uniform sampler2D pixels;

out vec4 color;

void main() {
    color = texelFetch(pixels, ivec2(v_at), 0);
}
