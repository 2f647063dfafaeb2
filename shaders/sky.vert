// A triangle that covers the whole screen, at the largest depth.
#include "frame3d.glsl"

out vec3 v_direction;  // viewing direction of the pixel

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(corner, 1.0, 1.0);
    // The rows of the view matrix are the camera's axes. With an orthographic camera, all pixels look straight ahead.
    vec3 right = vec3(view[0].x, view[1].x, view[2].x);
    vec3 up = vec3(view[0].y, view[1].y, view[2].y);
    vec3 back = vec3(view[0].z, view[1].z, view[2].z);
    vec3 deep = vec3(view_projection[0].w, view_projection[1].w, view_projection[2].w);
    vec2 size = vec2(
        length(vec3(view_projection[0].x, view_projection[1].x, view_projection[2].x)),
        length(vec3(view_projection[0].y, view_projection[1].y, view_projection[2].y)));
    v_direction = -back;
    if (dot(deep, deep) > 0.0)
        v_direction += right * corner.x / size.x + up * corner.y / size.y;
}
