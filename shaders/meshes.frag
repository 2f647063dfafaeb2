#include "surface.glsl"

void main() {
    color = lit(surface());
}
