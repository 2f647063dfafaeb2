// Computes how much of the sun's light reaches a point, from the shadow map of framework/space/shadows.py.
uniform sampler2DShadow shadow_map;  // the cascades side by side

const float SPREAD = 1.05;  // texels from one row of samples to the next
const float WIDEST = 4.2;  // largest distance between samples in a row, in texels

// Return the average of nine samples in three rows. Along `slope` (length 1, in the map), the surface turns away from
// the sun, so a texel is long on the surface and the shadow edge has long steps. To make the edge smooth, the rows are
// wider across the slope by the same factor. Each row is shifted by a third from the previous row.
float seen_by_sun(vec3 at, float cascade, vec2 texel, vec2 slope, float stretch) {
    vec2 across = vec2(-slope.y, slope.x) * clamp(SPREAD * stretch, SPREAD, WIDEST);
    vec2 place = vec2(cascade + at.x, at.y) * vec2(1.0 / counts.y, 1.0);
    float sum = 0.0;
    for (int row = -1; row <= 1; ++row)
        for (int tap = -1; tap <= 1; ++tap)
            sum += texture(shadow_map, vec3(place
                + (slope * (float(row) * SPREAD) + across * (float(tap) + float(row) / 3.0)) * texel, at.z));
    return sum / 9.0;
}

float sunlit(vec3 place, vec3 normal, float distance) {
    if (counts.y == 0.0 || distance >= counts.z)
        return 1.0;
    vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
    float facing = clamp(dot(normal, sun_direction.xyz), 0.0, 1.0);
    float slope = sqrt(1.0 - facing * facing), stretch = 0.6 / max(facing, 0.05);
    float seen = 0.0, left = 1.0;
    for (int i = 0; i < int(counts.y); ++i) {
        // Test a point a little above the surface, so that the surface does not shade itself. The point is higher if
        // the sun shines along the surface.
        vec3 from = place + normal * (texels[i] * (0.4 + 2.0 * slope));
        vec3 at = (cascades[i] * vec4(from, 1.0)).xyz;
        float edge = max(abs(at.x), abs(at.y)) + 14.0 * texel.y;  // the samples are at most this far away
        if (edge >= 1.0 || at.z >= 1.0)
            continue;
        // Each cascade fades into the next one, which is coarser.
        float share = i + 1 == int(counts.y) ? 1.0 : clamp((1.0 - edge) * 10.0, 0.0, 1.0);
        vec2 falls = (cascades[i] * vec4(normal, 0.0)).xy;
        falls = facing < 0.999 ? normalize(falls) : vec2(1.0, 0.0);
        seen += left * share * seen_by_sun(at * 0.5 + 0.5, float(i), texel, falls, stretch);
        left *= 1.0 - share;
        if (left <= 0.0)
            break;
    }
    return mix(seen + left, 1.0, smoothstep(0.8, 1.0, distance / counts.z));
}
