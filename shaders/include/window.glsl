// How the picture's pixels lie in the world, seen from the eye; framework/plane/tiledrawing.py sets it.
uniform vec4 window;  // the middle of the picture in the framebuffer's pixels; units a pixel
uniform mat2 turned;  // from pixels to units, as the camera is turned
uniform vec4 tint;    // premultiplied
