in vec2 v_place;

uniform sampler2D picture;

out vec4 color;

void main() {
    color = vec4(texture(picture, v_place).rgb, 1.0);
}
