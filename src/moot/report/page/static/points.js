// Words for what an answer is worth where a rubric gives it points: there nobody is right or wrong.
const scale = { points: false };

// Said once, before anything is shown: whether any of the runs has points.
export function tellPoints(any) {
  scale.points = any;
}

export const inPoints = () => scale.points;

const OF_POINTS = {
  wrong: ["No points", "nobody got any points"],
  rescued: ["Above captain", "a team got more points than its captain alone"],
  regressed: ["Below captain", "a team got fewer points than its captain alone"],
  differ: ["Runs differ", "the two runs did not get the same points"],
  hardest: ["fewest points first"],
  easiest: ["most points first"],
  1: ["✓", "all points"],
  0: ["✗", "no points"],
  h: ["◐", "some of the points"],
};

// Rows that begin with a name: the same with words of points, where there are any.
export const worded = (rows) => rows.map(([name, ...words]) => [name, ...((scale.points && OF_POINTS[name]) || words)]);
