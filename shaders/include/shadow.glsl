// How much of the sun reaches a place, from the pictures that framework/space/shadows.py made.
uniform sampler2DShadow shadow_map;  // the cascades side by side

float seen_by_sun(vec3 at, float cascade, vec2 texel) {
    float sum = 0.0;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
            sum += texture(shadow_map, vec3(vec2(cascade + at.x, at.y) * vec2(1.0 / counts.y, 1.0)
                + vec2(x, y) * texel, at.z));
    return sum / 9.0;
}

float sunlit(vec3 place, vec3 normal, float distance) {
    if (counts.y == 0.0 || distance >= counts.z)
        return 1.0;
    vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
    float facing = clamp(dot(normal, sun_direction.xyz), 0.0, 1.0);
    float slope = sqrt(1.0 - facing * facing);
    float seen = 0.0, left = 1.0;
    for (int i = 0; i < int(counts.y); ++i) {
        // A little above the surface, so that it does not shade itself: more where it is seen edge-on by the sun.
        vec3 from = place + normal * (texels[i] * (0.4 + 2.0 * slope));
        vec3 at = (cascades[i] * vec4(from, 1.0)).xyz;
        float edge = max(abs(at.x), abs(at.y)) + 6.0 * texel.y;
        if (edge >= 1.0 || at.z >= 1.0)
            continue;
        // Each fades into the next, which is coarser.
        float share = i + 1 == int(counts.y) ? 1.0 : clamp((1.0 - edge) * 10.0, 0.0, 1.0);
        seen += left * share * seen_by_sun(at * 0.5 + 0.5, float(i), texel);
        left *= 1.0 - share;
        if (left <= 0.0)
            break;
    }
    return mix(seen + left, 1.0, smoothstep(0.8, 1.0, distance / counts.z));
}
