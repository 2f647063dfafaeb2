in vec2 v_across;  // see lines.vert; some drivers clip `noperspective` values incorrectly
in vec4 v_color;
in float v_half;

out vec4 color;

void main() {
    float alpha = v_color.a * clamp(v_half + 0.5 - abs(v_across.x / v_across.y), 0.0, 1.0);
    color = vec4(v_color.rgb * alpha, alpha);
}
