in vec2 v_place;
flat in vec2 v_size;
flat in vec4 v_fill;
flat in vec4 v_edge;
flat in vec4 v_shape;
flat in vec4 v_image;
flat in vec4 v_border;
flat in vec4 v_clip;
flat in float v_pixels;
in vec2 v_at;

uniform sampler2D image;

out vec4 color;  // premultiplied alpha

// Return the distance from a box with round corners, negative inside: Inigo Quilez, "2D distance functions",
// https://iquilezles.org/articles/distfunctions2d/
float distance_to_box(vec2 position, vec2 half_size, float radius) {
    vec2 beyond = abs(position) - half_size + radius;
    return length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - radius;
}

// Return the position in the image along one axis. The borders keep their size, unless the box is too small for them.
float texel(float position, float size, float low, float high, float pixels, float scale) {
    float fits = min(1.0, size / max((low + high) * scale, 1e-6)) * scale;
    if (position < low * fits)
        return position / fits;
    if (position > size - high * fits)
        return pixels - (size - position) / fits;
    float inner = max(size - (low + high) * fits, 1e-6);
    return low + (position - low * fits) / inner * (pixels - low - high);
}

void main() {
    if (any(lessThan(v_at, v_clip.xy)) || any(greaterThan(v_at, v_clip.zw)))
        discard;
    vec2 half_size = v_size * 0.5;
    float radius = min(v_shape.x, min(half_size.x, half_size.y));
    float outside = distance_to_box(v_place - half_size, half_size, radius);
    float covered = clamp(0.5 - outside * v_pixels, 0.0, 1.0);
    if (v_shape.w > 0.5) {
        vec2 inside = vec2(
            texel(v_place.x, v_size.x, v_border.x, v_border.z, v_image.z, v_shape.z),
            texel(v_place.y, v_size.y, v_border.w, v_border.y, v_image.w, v_shape.z));
        vec2 texel_position = v_image.xy + clamp(inside, vec2(0.5), v_image.zw - 0.5);
        color = texture(image, texel_position / vec2(textureSize(image, 0))) * vec4(v_fill.rgb * v_fill.a, v_fill.a) * covered;
        return;
    }
    float within = v_shape.y > 0.0 ? clamp(0.5 - (outside + v_shape.y) * v_pixels, 0.0, 1.0) : 1.0;
    vec4 fill = vec4(v_fill.rgb * v_fill.a, v_fill.a);
    vec4 edge = vec4(v_edge.rgb * v_edge.a, v_edge.a);
    vec4 over = edge + fill * (1.0 - edge.a);
    color = mix(over, fill, within) * covered;
}
