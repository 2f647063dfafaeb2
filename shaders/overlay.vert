// The panel, a rectangle of framebuffer pixels.
uniform vec4 panel;  // left, bottom, width, height
uniform vec2 screen;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4((panel.xy + corner * panel.zw) / screen * 2.0 - 1.0, 0.0, 1.0);
}
