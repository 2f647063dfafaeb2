// How the picture's pixels lie in the world, seen from the eye; framework/plane/tiledrawing.py sets it.
uniform vec4 window;  // the middle of the picture in the framebuffer's pixels; units a pixel
uniform vec2 turn;    // the camera's cosine and sine
uniform vec4 tint;    // premultiplied
