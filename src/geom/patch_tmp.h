#ifndef PATCH_TMP
#define PATCH_TMP
#include "geom/distance.h"
typedef struct { slip_real point[3]; slip_real gap; uint32_t feature; } slip_patch_point;
typedef struct { int count; slip_real normal[3]; slip_patch_point point[4]; } slip_patch;
static inline slip_status slip_patch_find(const slip_shape *a, const slip_pose *A, const slip_shape *b, const slip_pose *B, slip_real margin, slip_patch *o)
{
    o->count = 0;
    int flip = 0;
    if (b->kind == SLIP_SHAPE_HALFSPACE) { const slip_shape *t = a; a = b; b = t; const slip_pose *T = A; A = B; B = T; flip = 1; }
    if (a->kind == SLIP_SHAPE_HALFSPACE) {
        slip_real n[3] = { A->R[2], A->R[5], A->R[8] };
        slip_real pts[8][3]; int np = 0; slip_real rad = 0;
        if (b->kind == SLIP_SHAPE_SPHERE) { slip_copy3(B->p, pts[np++]); rad = b->radius; }
        else if (b->kind == SLIP_SHAPE_CAPSULE) { for (int s=-1;s<=1;s+=2){ slip_real l[3]={0,0,b->half[2]*(slip_real)s}; slip_pose_point(B,l,pts[np++]); } rad = b->radius; }
        else if (b->kind == SLIP_SHAPE_BOX) { for (int i=0;i<8;i++){ slip_real l[3]={ (i&1)?b->half[0]:-b->half[0], (i&2)?b->half[1]:-b->half[1], (i&4)?b->half[2]:-b->half[2]}; slip_pose_point(B,l,pts[np++]); } }
        for (int i=0;i<np;i++) { slip_real d[3]; slip_sub3(pts[i],A->p,d); slip_real g=slip_dot3(d,n)-rad; if (g<margin && o->count<4) { slip_patch_point *p=&o->point[o->count++]; p->gap=g; p->feature=(uint32_t)i; slip_axpy3(-rad-g/2,n,pts[i],p->point);} }
        if (flip) slip_neg3(n,o->normal); else slip_copy3(n,o->normal);
        return SLIP_OK;
    }
    slip_distance_result r; slip_status s = slip_distance_within(a,A,b,B,margin,NULL,&r);
    if (s < 0) return s;
    if (r.distance < margin) { o->count=1; slip_copy3(r.normal,o->normal); slip_add3(r.a,r.b,o->point[0].point); slip_scale3(SLIP_R(0.5),o->point[0].point,o->point[0].point); o->point[0].gap=r.distance; o->point[0].feature=0; }
    return SLIP_OK;
}
#endif
