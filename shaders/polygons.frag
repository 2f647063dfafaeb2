uniform sampler2D image;

in vec2 v_at;
in vec4 v_color;
in vec3 v_edges;

out vec4 color;  // premultiplied alpha

void main() {
    float coverage = 1.0;
#ifdef SMOOTH_EDGES
    vec3 x = dFdx(v_edges), y = dFdy(v_edges);
    vec3 pixels = clamp(v_edges / max(sqrt(x * x + y * y), vec3(1e-9)), 0.0, 1.0);
    coverage = pixels.x * pixels.y * pixels.z;
#endif
    color = texture(image, v_at) * v_color * coverage;
}
