// A rectangle in the plane. Each pixel computes its position in the image.
#include "frame.glsl"

uniform vec4 box;  // left, bottom, right, top, in units from the eye

void main() {
    vec2 place = mix(box.xy, box.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    gl_Position = vec4(mat2(view_projection) * place, 0.0, 1.0);
}
