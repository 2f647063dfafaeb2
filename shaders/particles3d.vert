// Each instance is one particle, which is drawn like a billboard. Between two ticks, a frame changes only `alpha`.
#include "frame3d.glsl"
#include "particle_motion.glsl"
#include "billboard_corner.glsl"

in vec3 in_position_cell;  // cell of the position at birth
in vec3 in_position;
in vec3 in_velocity;    // velocity at birth
in uint in_born;
in uint in_seed;
in float in_lifetime;       // lifetime in seconds
in float in_scale;
in vec2 in_rotation;        // angle, angular velocity
in vec4 in_tint;        // linear, straight alpha

uniform vec4 rectangles[16];  // the images in the texture
uniform vec2 texture_size;

void main() {
    float age = age_of(in_born, alpha), share = age / in_lifetime;
    vec3 position = from_eye(in_position, in_position_cell) + moved(in_velocity, in_seed, age);
    float angle = in_rotation.x + in_rotation.y * age;
#ifdef ALIGN
    vec3 direction = mat3(view) * velocity_at(in_velocity, age);
    angle += dot(direction.xy, direction.xy) > 0.0 ? atan(direction.y, direction.x) : 0.0;
#endif
    vec4 rectangle = rectangles[int(in_seed % uint(image_count))];
    vec2 sides = (rectangle.zw - rectangle.xy) * texture_size;
    vec2 size = sides * (size_at(share) * in_scale / max(sides.x, sides.y)) * vec2(tumbled(in_seed, age), 1.0);
    vec4 color = color_at(share) * in_tint;
    put_corner(position, size, angle, rectangle, alive(age, in_lifetime) ? color : vec4(0.0));
}
