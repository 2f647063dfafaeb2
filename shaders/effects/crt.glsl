uniform float curvature;
uniform float scanlines;
uniform float mask;
uniform float lines;

vec4 effect(vec2 place) {
    vec2 out_ = place * 2.0 - 1.0;
    out_ *= 1.0 + curvature * 0.25 * out_.yx * out_.yx;
    if (max(abs(out_.x), abs(out_.y)) > 1.0)
        return vec4(0.0, 0.0, 0.0, 1.0);
    vec2 bent = out_ * 0.5 + 0.5;
    float between = fract(bent.y * lines) * 2.0 - 1.0;  // 0 in the middle of a line
    float share = (1.0 - scanlines * between * between) / (1.0 - scanlines * 0.3333);
    // Stripes of red, green and blue, three of the target's pixels wide.
    vec3 stripe = 1.0 - mask * abs(fract(gl_FragCoord.x / 3.0 + vec3(0.0, 0.3333, 0.6667)) * 2.0 - 1.0);
    return vec4(picture(bent).rgb * stripe * (share / (1.0 - mask * 0.5)), 1.0);
}
