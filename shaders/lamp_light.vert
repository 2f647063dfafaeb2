// Draws the light of lamps. Each instance is a square around one lamp.
#include "frame.glsl"
#include "light2d_math.glsl"

uniform int first_lamp;  // the first lamp of this draw call

flat out int v_lamp;
out vec2 v_away;  // displacement from the lamp, in units

void main() {
    v_lamp = first_lamp + gl_InstanceID;
    vec4 place_radius = texelFetch(lamps, ivec2(v_lamp, 0), 0);
    v_away = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * place_radius.z;
    gl_Position = vec4(mat2(view_projection) * (place_radius.xy - eye + v_away), 0.0, 1.0);
    if (!(place_radius.z > 0.0))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
