// Draws the inspector's widgets: letters and surfaces from one texture, with straight alpha.
uniform sampler2D image;

in vec2 at;
in vec4 shade;

out vec4 color;

void main() {
    color = shade * texture(image, at);
}
