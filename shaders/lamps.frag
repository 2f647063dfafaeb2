flat in vec4 v_texel;

out vec4 color;

void main() {
    color = v_texel;
}
