// Places the panel of the F3 overlay, a rectangle in framebuffer pixels.
uniform vec4 panel;  // left, bottom, width, height
uniform vec2 screen;

out vec2 v_at;  // from the panel's bottom left corner, pixels

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    v_at = corner * panel.zw;  // not gl_FragCoord: Mesa flips it in an image that is read back from a window
    gl_Position = vec4((panel.xy + corner * panel.zw) / screen * 2.0 - 1.0, 0.0, 1.0);
}
