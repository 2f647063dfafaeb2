// Draws an image with another resolution over the whole viewport.
out vec2 v_place;  // 0 to 1, from the bottom left corner

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    v_place = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
