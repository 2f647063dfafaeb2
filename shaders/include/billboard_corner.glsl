// Computes one of the four corners of a billboard, which is upright on the screen, from gl_VertexID. For
// billboards.frag. Include it after frame3d.glsl.
out vec2 v_uv;
out vec4 v_color;
out float v_distance;  // distance from the eye

// `place` is relative to the eye. `rectangle` is the image in the texture, 0 to 1: left, bottom, right, top.
void put_corner(vec3 place, vec2 size, float angle, vec4 rectangle, vec4 color) {
    v_color = color;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    v_uv = mix(rectangle.xy, rectangle.zw, corner);
    float c = cos(angle), s = sin(angle);
    vec2 offset = mat2(c, s, -s, c) * ((corner - 0.5) * size);
    v_distance = length(place);
    // The rows of the rotation matrix are the camera's axes in world space.
    place += offset.x * vec3(view[0].x, view[1].x, view[2].x) + offset.y * vec3(view[0].y, view[1].y, view[2].y);
    gl_Position = view_projection * vec4(place, 1.0);
    // Invisible billboards, and billboards with NaN, are moved out of the view, so that no pixels are drawn.
    uint bits = floatBitsToUint(abs(gl_Position.x) + abs(gl_Position.y) + abs(gl_Position.w));
    if (v_color.a <= 0.0 || bits > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
