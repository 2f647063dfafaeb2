// Each instance is one textured polygon. The corners of its triangles are read from a texture and stretched to the size
// of the polygon.
#include "frame.glsl"
#include "pose2d.glsl"

in vec2 in_previous_position;
in vec2 in_position;
in float in_previous_angle;
in float in_angle;
in vec2 in_previous_scale;
in vec2 in_scale;
in vec2 in_previous_size;
in vec2 in_size;
in float in_previous_skew;
in float in_skew;
in vec2 in_previous_scroll;
in vec2 in_scroll;
in vec4 in_color;
in uint in_info;  // start of the mesh in `meshes`; bit 31: visible

uniform sampler2D meshes;  // framework/plane/polygon_meshes.py writes it
uniform sampler2D image;
uniform vec2 period;       // number of images after which the texture repeats; 0: never

out vec2 v_at;
out vec4 v_color;
out vec3 v_edges;  // for each edge of this triangle: 0 on an edge of the outline

const int TEXELS = 5;  // texels of each corner

vec4 texel(int at) {
    int width = textureSize(meshes, 0).x;
    return texelFetch(meshes, ivec2(at % width, at / width), 0);
}

// Scrolling by one period looks the same, so scroll in the shorter direction: a game may then keep the value between 0
// and 1.
vec2 blend_scroll() {
    vec2 moved = in_scroll - in_previous_scroll;
    moved -= period * roundEven(moved / max(period, vec2(1e-6)));
    return in_previous_scroll + moved * alpha;
}

void main() {
    int start = int(in_info & 0x7FFFFFFFu);
    vec4 head = texel(start + 1);
    bool drawn = (in_info & 0x80000000u) != 0u && gl_VertexID < int(head.x);
    int first = start + 2 + TEXELS * min(gl_VertexID, int(head.x) - 1);
    vec4 place = texel(first), lies = texel(first + 1), shift = texel(first + 3), more = texel(first + 4);

    vec2 position = blend(in_previous_position, in_position, alpha);
    float angle = blend_angle(in_previous_angle, in_angle, alpha);
    vec2 scale = blend(in_previous_scale, in_scale, alpha);
    vec2 size = blend(in_previous_size, in_size, alpha);
    float skew = blend_angle(in_previous_skew, in_skew, alpha);

    // Margins keep their width as long as both fit.
    vec2 room = min(abs(size) / max(head.yz, vec2(1e-6)), vec2(1.0));
    vec2 local = place.xy * size + place.zw * (head.y + head.z > 0.0 ? room : vec2(1.0));
    vec2 image_size = vec2(textureSize(image, 0));
    v_at = lies.xy + lies.zw * size + shift.xy / image_size + blend_scroll();

#ifdef SMOOTH_EDGES
    // Extend the outline by half a pixel, so that edges can fade over partly covered pixels.
    vec2 out_by = shift.zw * 0.5 / max(abs(scale) * pixels_per_unit, vec2(1e-6));
    local += out_by * sign(size);
    int kind = int(more.w);
    v_at += out_by * more.xy / (kind == 1 ? max(abs(size), vec2(1e-6)) : kind == 3 ? image_size * room : vec2(1.0));
    int edges = int(more.z);
    int corner = gl_VertexID % 3;
    v_edges = vec3(corner == 0, corner == 1, corner == 2)
        + 1e3 * vec3((edges & 1) == 0, (edges & 2) == 0, (edges & 4) == 0);
#endif
    vec4 tint = texel(first + 2) * in_color;
    v_color = vec4(tint.rgb * tint.a, tint.a);

    // Scale, then skew (which turns only the upward axis), then rotate, then translate.
    float upward = angle + skew;
    vec2 from_eye = position - eye + local.x * scale.x * vec2(cos(angle), sin(angle))
        + local.y * scale.y * vec2(-sin(upward), cos(upward));
    gl_Position = vec4(mat2(view_projection) * from_eye, 0.0, 1.0);
    // Hidden rows and rows with NaN are moved outside the screen, as in sprite_corner.glsl.
    float sum = abs(from_eye.x) + abs(from_eye.y) + abs(v_at.x) + abs(v_at.y);
    if (!drawn || floatBitsToUint(sum) > floatBitsToUint(1e30))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
