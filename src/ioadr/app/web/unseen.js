// Points that other views saw and the reference view did not, behind the pixels of a scene in 3D.
//
//   const unseen = await Unseen.of(packed);              // from `app/report/unseen.py`, or null: no points
//   unseen.behind(positions, unseen.places(rays));       // arrays of all pixels, and of these points after them
//   unseen.colours(scales, { photo, shape, confidence }) // functions that colour pixels, extended to these points
"use strict";

const UNSEEN_COLOUR = [255, 64, 150];

class Unseen {
  constructor({ count = 0, views = 0, rows = [], columns = [], disparity = [], image = [], normals = [], confidence = [], seeing = [], flying = null }) {
    Object.assign(this, { count, views, rows, columns, disparity, image, normals, confidence, seeing, flying });
  }

  static async of(packed) {
    if (!packed) return new Unseen({});
    const { count, views } = packed, arrays = {};
    for (const name of ["rows", "columns", "disparity"]) arrays[name] = count ? await unpackValues(packed[name]) : [];
    for (const name of ["image", "normals", "confidence", "seeing"]) arrays[name] = count ? await unpack(packed[name]) : [];
    return new Unseen({ count, views, ...arrays, flying: await unpack(packed.flying) });
  }

  /** Where they are, as `placesInSpace` has it for pixels, in another relief of relative depth if wanted. */
  places(rays, factor = 1) {
    const out = new Float32Array(3 * this.count);
    for (let i = 0; i < this.count; i++) {
      const inverse = 1 + factor * (rays.slope * this.disparity[i] + rays.offset - 1), z = inverse > 0 ? 1 / inverse : NaN;
      out.set([(this.columns[i] - rays.m0) * rays.pitch_x * z, -(this.rows[i] - rays.n0) * rays.pitch_y * z, -z], 3 * i);
    }
    return out;
  }

  behind(pixels, points) {
    if (!this.count) return pixels;
    const out = new pixels.constructor(pixels.length + points.length);
    out.set(pixels);
    out.set(points, pixels.length);
    return out;
  }

  /** Functions by name, those of pixels with these points after them; `unseen` shows which they are. */
  colours(scale, { photo, shape, confidence }) {
    const pink = () => Uint8Array.from({ length: 3 * this.count }, (_, i) => UNSEEN_COLOUR[i % 3]);
    return {
      photo: () => this.behind(photo(), this.image),
      shape: () => this.behind(shape(), clay(this.normals)),
      confidence: () => this.behind(confidence(), painted(along(scale, this.confidence, 0, 255), this.count)),
      unseen: () => this.behind(photo(), pink()),
    };
  }

  /** What is known of the point after so many pixels, in words. */
  words(i) {
    return `${this.seeing[i]} of ${this.views} views see this point; the reference view does not.`;
  }
}
