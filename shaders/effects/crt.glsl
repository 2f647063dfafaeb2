uniform float curvature;
uniform float lines;
uniform float line_gain;   // brightness of the lines relative to their average
uniform float line_fade;   // six times the number of lines per pixel, at the center of the screen
uniform vec2 stripe_gain;  // the share of other colors that a stripe passes, and the gain of its own color

vec4 effect(vec2 place) {
    vec2 out_ = place * 2.0 - 1.0;
    vec2 bend = 1.0 + curvature * 0.25 * out_.yx * out_.yx;
    out_ *= bend;
    vec2 bent = out_ * 0.5 + 0.5;
    // A line is darkest at its edges, almost like a cosine, because a cosine shows no false waves even with few
    // samples. Lines narrower than three pixels fade, and lines of two pixels are invisible, because they would look
    // like waves.
    float far = abs(fract(bent.y * lines) * 2.0 - 1.0);
    float dark = 0.5 - far * far * (3.0 - 2.0 * far);
    float seen = line_gain * clamp(3.0 - line_fade * bend.y, 0.0, 1.0);
    float inside = max(abs(out_.x), abs(out_.y)) <= 1.0 ? 1.0 : 0.0;
    // Red, green and blue stripes, each three pixels of the target wide.
    float column = fract(gl_FragCoord.x * (1.0 / 3.0));
    vec3 stripe = stripe_gain.x + stripe_gain.y * vec3(abs(column - 0.5) < 0.17, column < 0.33, column > 0.67);
    return vec4(picture(bent).rgb * stripe * (inside + inside * seen * dark), 1.0);
}
