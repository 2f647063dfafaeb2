// A panel whose pixels are those of a texture.
uniform vec4 panel;
uniform sampler2D pixels;

out vec4 color;

void main() {
    color = texelFetch(pixels, ivec2(gl_FragCoord.xy - panel.xy), 0);
}
